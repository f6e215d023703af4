// What React's types declare, as far as it could get in the way: a global JSX whose `br` and `meta` are a page's.
declare namespace React {
  function createElement(type: unknown, props: unknown, ...children: unknown[]): JSX.Element;
}
declare namespace JSX {
  interface Element {
    readonly isReact: true;
  }
  interface ElementClass {
    readonly isReactClass: true;
  }
  interface ElementAttributesProperty {
    props: {};
  }
  interface ElementChildrenAttribute {
    children: {};
  }
  interface IntrinsicElements {
    br: { className?: string };
    meta: { charSet?: string };
    div: { className?: string; children?: unknown };
  }
}
