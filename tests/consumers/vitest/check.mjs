export default async function check({ ran }) {
  for (const pool of ["forks", "threads"]) await ran("vitest", ["run", "--pool", pool]);
}
