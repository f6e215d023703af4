declare module "*?style" {
  const style: string;
  export default style;
}
