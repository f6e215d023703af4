declare module "*?text" {
  const text: string;
  export default text;
}

declare module "*?style" {
  const style: string;
  export default style;
}
