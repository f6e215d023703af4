import * as espalier from "espalier";
import { use } from "../use.js";

export default defineEventHandler(() => use(espalier));
