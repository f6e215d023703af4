/** The tokens of sucrase, which its own declarations do not export. */
declare module "sucrase/dist/esm/parser/index.js" {
  export interface Token {
    type: number;
    /** Offsets in the code. */
    start: number;
    end: number;
  }
  export function parse(code: string, isJSX: boolean, isTypeScript: boolean, isFlow: boolean): { tokens: Token[] };
}
declare module "sucrase/dist/esm/parser/tokenizer/types.js" {
  export const TokenType: Record<"jsxTagStart" | "jsxTagEnd" | "slash", number>;
}
