/**
 * Names of files that probably contain secrets: settings of an environment, private keys, credentials. Search and
 * inline context leave them out unless the host asks for them.
 */

/** Whole names, and names that begin so. `.env.example` and its like are templates without values. */
const NAMES = new RegExp(
  "^(?:" +
    [
      String.raw`\.env(?:\.(?!(?:example|sample|template|dist|defaults|schema)$).*)?`,
      String.raw`\.envrc|[._]netrc|\.npmrc|\.pypirc|\.htpasswd|\.pgpass|\.my\.cnf|\.dockercfg|\.git-credentials|\.vault-token`,
      "id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?",
      String.raw`credentials(?:\.json)?|secrets?\.(?:json|ya?ml|toml|properties)`,
    ].join("|") +
    ")$",
);
const EXTENSIONS = /\.(?:env|pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx|gpg|pgp|tfvars|tfstate)$/;
const FOLDERS = /(?:^|\/)\.(?:ssh|aws|gnupg|kube|azure)\//;

/** Returns true for a path whose file probably contains secrets. The case of letters does not matter. */
export function isSecret(path: string): boolean {
  const plain = path.replaceAll("\\", "/").toLowerCase();
  // Several documents of an editor can have one path: `.env#2`.
  const name = plain.slice(plain.lastIndexOf("/") + 1).replace(/#\d+$/, "");
  return NAMES.test(name) || EXTENSIONS.test(name) || FOLDERS.test(plain);
}
