/**
 * The rules for which files are searched, as data that callers can change, and the tests of names, sizes and texts for
 * them.
 */

import { need } from "../../options/check.ts";
import { isSecret } from "../../files/secrets.ts";
import { defined } from "../../options/data.ts";
import { FILE_RULES } from "../../options/schemas/search-sources.ts";
import type { FileNote } from "../types.ts";

export interface FileRules {
  /** Extensions of binary files, in lower case and without the first dot, including keys and certificates. */
  binary: readonly string[];
  /** Extensions of generated files, with all of their dots but the first: `min.js`, `map`. */
  generated: readonly string[];
  /** Names of folders that are never entered: caches, dependencies, the data of version control. */
  folders: readonly string[];
  /** Names of files that are generated. */
  names: readonly string[];
  /** True to search files that probably contain secrets, by their names: `.env.local`, `id_rsa`, `.npmrc`. */
  secrets: boolean;
  /** Max bytes of a file. */
  maxBytes: number;
  /**
   * The treatment of larger files: `skip`, or `cut` to search their first `maxBytes` bytes. They are reported in both
   * cases.
   */
  larger: "skip" | "cut";
  /** A NUL within this number of first bytes makes a file binary. */
  binaryBytes: number;
  /** Extensions of languages that are often minified. */
  minifiable: readonly string[];
  /** A file of such a language counts as minified if a line has more characters than this, */
  maxLineLength: number;
  /** or if its lines have more than this on average. */
  maxAverageLineLength: number;
  /** Returns true to leave out a file or folder; its path is that of the index. */
  ignore?: ((path: string, isFolder: boolean) => boolean) | undefined;
}

const words = (text: string): readonly string[] => Object.freeze(text.trim().split(/\s+/));

/**
 * The default rules of sources.
 *
 * ```ts
 * import { fileRules, memoryFiles } from "espalier/search";
 * import type { FileNote } from "espalier/search";
 *
 * const rules = { generated: fileRules.generated.filter((extension) => extension !== "svg") };
 * const source = memoryFiles({ "logo.svg": "<svg/>", "photo.png": "" }, { rules });
 * const notes: string[] = [];
 * const paths: string[] = [];
 * const note = ({ path, reason }: FileNote) => void notes.push(`${path}: ${reason}`);
 * for await (const { path } of source.list({ note })) paths.push(path);
 * paths; // => ["logo.svg"]
 * notes; // => ["photo.png: binary"]
 * ```
 */
export const fileRules: Readonly<FileRules> = Object.freeze({
  binary: words(`
    png jpg jpeg jpe jfif gif bmp ico cur icns webp avif heic heif tif tiff psd xcf raw cr2 nef dng tga dds exr hdr eps
    ai sketch fig blend fbx glb stl
    ttf otf woff woff2 eot ttc pfb
    mp3 wav ogg oga opus flac m4a aac wma mid midi aiff mp4 m4v mov avi mkv webm wmv mpg mpeg flv 3gp
    zip gz tgz bz2 tbz xz txz zst lz4 lzma 7z rar tar cab jar war ear aar apk aab ipa whl egg gem nupkg snupkg vsix xpi
    crx deb rpm msi dmg pkg iso img
    exe dll so dylib a lib o obj ko elf pdb ilk class dex pyc pyo pyd wasm bc rlib rmeta node bin swf beam pch gch nib
    pdf doc docx docm xls xlsx xlsm xlsb ppt pptx odt ods odp epub mobi djvu
    db db3 sqlite sqlite3 mdb accdb dbf frm ibd parquet arrow feather avro orc npy npz pkl pickle h5 hdf5 mat rds rdata
    tfrecord
    onnx pt pth safetensors gguf ggml tflite ckpt mlmodel pb
    pem key p8 p12 pfx jks keystore der crt cer csr gpg pgp kdbx swp swo hprof dmp
  `),
  generated: words(
    "svg svgz min.js min.mjs min.cjs min.css map bundle.js chunk.js tsbuildinfo tiktoken bak orig rej tmp log",
  ),
  folders: words(`
    .git .hg .svn .bzr .jj CVS node_modules bower_components jspm_packages .yarn .pnpm-store __pycache__ .venv venv .tox
    .nox .eggs
    .mypy_cache .pytest_cache .ruff_cache .ipynb_checkpoints .gradle .m2 .idea .vs .vscode-test .next .nuxt .output
    .svelte-kit .astro .angular .turbo .nx .parcel-cache
    .cache .sass-cache .nyc_output .terraform .serverless .aws-sam .dart_tool .pub-cache .bundle Pods DerivedData
    .stack-work .elixir_ls elm-stuff .metals .bloop .bsp
  `),
  names: words(`
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock Cargo.lock poetry.lock
    Pipfile.lock uv.lock pdm.lock pixi.lock
    composer.lock Gemfile.lock go.sum go.work.sum flake.lock mix.lock pubspec.lock Podfile.lock Package.resolved
    gradle.lockfile packages.lock.json Cartfile.resolved
    .pnp.cjs .pnp.loader.mjs .DS_Store Thumbs.db desktop.ini .git
  `),
  secrets: false,
  maxBytes: 1_572_864,
  larger: "skip",
  binaryBytes: 8_000,
  minifiable: words("js mjs cjs css"),
  maxLineLength: 10_000,
  maxAverageLineLength: 400,
});

/** The rules, prepared for testing a file quickly. */
export interface Judge {
  readonly rules: Readonly<FileRules>;
  /** Returns why a file or folder of this path is left out, or `undefined` if it is not. */
  name(path: string, isFolder: boolean): Omit<FileNote, "path"> | undefined;
  /** Returns a note if a text is minified. */
  text(path: string, text: string): Omit<FileNote, "path"> | undefined;
}

/**
 * Completes rules with those of {@link fileRules}.
 *
 * @throws EspalierError `bad_option`
 */
export function judgeOf(given: Partial<FileRules> | undefined, within = "options.rules"): Judge {
  need(given, FILE_RULES, within);
  const rules = { ...fileRules, ...defined(given ?? {}) };
  const [binary, generated, minifiable] = [new Set(rules.binary), new Set(rules.generated), new Set(rules.minifiable)];
  const [folders, names] = [new Set(rules.folders), new Set(rules.names)];
  return {
    rules,
    name(path, isFolder) {
      const name = path.slice(path.lastIndexOf("/") + 1);
      if (isFolder && folders.has(name)) return { reason: "ignored", detail: `folders named ${name}` };
      if (!isFolder && names.has(name)) return { reason: "ignored", detail: `files named ${name}` };
      for (const extension of isFolder ? [] : extensionsOf(name)) {
        if (binary.has(extension)) return { reason: "binary", detail: `files named *.${extension}` };
        if (generated.has(extension)) return { reason: "ignored", detail: `files named *.${extension}` };
      }
      if (!isFolder && !rules.secrets && isSecret(path)) return { reason: "ignored", detail: "it may contain secrets" };
      return rules.ignore?.(path, isFolder) ? { reason: "ignored", detail: "options.rules.ignore" } : undefined;
    },
    text(path, text) {
      if (!extensionsOf(path.slice(path.lastIndexOf("/") + 1)).some((one) => minifiable.has(one))) return undefined;
      const { longest, lines } = measured(text);
      if (longest > rules.maxLineLength) return { reason: "minified", detail: `a line of ${longest} characters` };
      const average = text.length / lines;
      return average > rules.maxAverageLineLength
        ? { reason: "minified", detail: `lines of ${Math.round(average)} characters on average` }
        : undefined;
    },
  };
}

/** Returns the extensions of a name, longest first: `min.js` and `js` for `a.min.js`. A leading dot does not count. */
function extensionsOf(name: string): string[] {
  const found: string[] = [];
  const lower = name.toLowerCase();
  for (let at = lower.indexOf(".", 1); at >= 0 && found.length < 8; at = lower.indexOf(".", at + 1))
    found.push(lower.slice(at + 1));
  return found;
}

function measured(text: string): { longest: number; lines: number } {
  let [longest, lines, start] = [0, 1, 0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    longest = Math.max(longest, end - start);
    lines += 1;
    start = end + 1;
  }
  return { longest: Math.max(longest, text.length - start), lines };
}

/** Options that the sources of all hosts share. */
export interface SourceOptions {
  /** The rules for leaving out files. Default of each: {@link fileRules}. */
  rules?: Partial<FileRules> | undefined;
  /** Applies `.gitignore`, `.ignore` and `.git/info/exclude`. Default true. */
  ignoreFiles?: boolean | undefined;
}
