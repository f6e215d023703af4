import { count, init } from "espalier";

await init();
document.title = String(count("Hello world!"));
