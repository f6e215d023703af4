/** @jsx React.createElement */
import type {} from "espalier/prompt-tsx";

export const page = () => (
  <div className="x">
    <meta charSet="utf-8" />
    <br />
  </div>
);
// @ts-expect-error Prompts' elements are not the page's.
export const bad = () => <opaque value={1} />;
