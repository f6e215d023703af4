export default { build: { target: "esnext" }, ssr: { noExternal: process.env.VITE_SSR_ALL ? true : [] } };
