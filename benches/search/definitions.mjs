// Finds the definitions of a file with `documentStructure`, as a host would: names and ranges for chunks that end with
// them.
const { documentStructure } = await import(new URL("../../pkg/dist/documents-node.js", import.meta.url).href);

const DEFINITION =
  /^(constructor|decorated_definition|lexical_declaration|macro_definition|(\w+_)?(function|class|interface|method|enum|type_alias|module|struct|impl|trait|mod|union)_(declaration|definition|item|signature_item|signature))$/;

export async function definitionsOf({ path, text }) {
  const { root, basis } = await documentStructure(text, { path });
  const found = [];
  if (basis.path === "syntax") collect(root, text, found);
  return found;
}

function collect(node, text, found) {
  for (const child of node.children) {
    const isInner = node.kind === "decorated_definition";
    if (DEFINITION.test(child.kind) && !isInner)
      found.push({ name: headOf(text.slice(child.start, child.end)), start: child.start, end: child.end });
    collect(child, text, found);
  }
}

/**
 * Returns the head up to its body or parameters: `class Basket`. Preceding comments and attributes are not part of it.
 */
function headOf(text) {
  const line =
    text
      .replace(/\/\*[^]*?\*\//g, "")
      .split("\n")
      .find((one) => !/^\s*(\/\/|#|@|\*|$)/.test(one)) ?? "";
  return line
    .split(/[({=]|:\s|:$/)[0]
    .trim()
    .slice(0, 100);
}
