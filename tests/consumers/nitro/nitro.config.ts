export default { compatibilityDate: "2026-01-01" };
