/** Recognises source files by their names. */

const EXTENSION =
  /\.(?:[cm]?[jt]sx?|py[iw]?|rb|rake|gemspec|ru|rs|go|java|c|h|cc|cpp|cxx|c\+\+|hh|hpp|hxx|h\+\+|ipp|tpp|inl|csx?|php[8]?|phtml|inc|kts?|swift|scala|lua|dart|ex|exs|erl|hs|ml|fs|clj|jl|r|pl|pm|sh|bash|zsh|ps1|sql|css|scss|less|html?|vue|svelte|xml|ya?ml|toml|ini|proto|graphql|tf|zig|nim|asm|s|v|vhd)$/i;
const NAME = /(?:^|\/)(?:Makefile|Dockerfile|Rakefile|Gemfile|CMakeLists\.txt)$/;

export function isSource(name: string, head: string): boolean {
  return EXTENSION.test(name) || NAME.test(name) || /^#!/.test(head);
}
