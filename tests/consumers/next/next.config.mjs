export default { turbopack: { root: import.meta.dirname } };
