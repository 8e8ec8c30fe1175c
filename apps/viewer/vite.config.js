// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One plain script and one style sheet with fixed names: the program embeds these three files, and a page written by
// `berth view --html` puts them into one file, where a script of type module could not be loaded from disk.

import { defineConfig } from "vite";

export default defineConfig({
    publicDir: "public",
    build: {
        outDir: "dist",
        emptyOutDir: true,
        target: "es2020",
        cssCodeSplit: false,
        chunkSizeWarningLimit: 1500,
        rollupOptions: {
            input: "src/main.ts",
            output: { format: "iife", entryFileNames: "app.js", assetFileNames: "app[extname]" },
        },
    },
});
