/**
 * `espalier/grammars/typescript` and its like: an import that makes a bundler take the file of a grammar along.
 * `espalier/grammars` takes all of them. They export nothing; the build writes one for each grammar.
 */

export {};
