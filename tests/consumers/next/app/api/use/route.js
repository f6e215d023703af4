import * as espalier from "espalier";
import { use } from "../../../use.js";

export const dynamic = "force-dynamic";

export async function GET() {
  return new Response(await use(espalier));
}
