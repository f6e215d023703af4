/**
 * `espalier/grammars/typescript` and its like: an import that makes a bundler include the file of a grammar.
 * `espalier/grammars` includes all of them. They export nothing; the build writes one for each grammar.
 */

export {};
