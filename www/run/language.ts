/**
 * Imported before uPlot, which formats by `navigator.language` while it loads: without a locale (`LC_ALL=C`) WebKitGTK
 * has `C` there, which `Intl` refuses.
 */

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}
