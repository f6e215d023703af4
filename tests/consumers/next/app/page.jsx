"use client";

import { useEffect } from "react";
import * as espalier from "espalier";
import "espalier/grammars/typescript";
import { use } from "../use.js";

export default function Page() {
  useEffect(() => {
    espalier.init({ encodings: ["o200k_base", "cl100k_base"] }).then(() => use(espalier)).then((line) => (document.title = line));
  }, []);
  return <p>Counting.</p>;
}
