/** Real conversations that come with the page (licences beside them). The first one opens by itself. */
export const EXAMPLES = [
  { key: "pi", name: "Coding agent: a day of refactoring", url: "examples/pi-refactor-long.json.gz" },
  {
    key: "marshmallow",
    name: "Coding agent: a bug fix in marshmallow",
    url: "examples/sweagent-marshmallow-1867.json",
  },
  { key: "airline", name: "Service agent: booking a flight", url: "examples/tau-airline-0.json" },
];
