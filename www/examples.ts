/** Two real conversations that come with the page (licences beside them). */
export const EXAMPLES = [
  { name: "Coding agent: a bug fix in marshmallow", url: "examples/sweagent-marshmallow-1867.json" },
  { name: "Service agent: booking a flight", url: "examples/tau-airline-0.json" },
];
