/** Script and style of the tracer's page, see scripts/trace-page.mjs. */
declare const page: { script: string; style: string };
export default page;
