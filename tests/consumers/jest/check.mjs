export default async function check({ ran }) {
  await ran("jest", ["--ci"]);
}
