import { defineConfig } from 'vitest/config'

// Two cores in CI: files run beside each other, and a journey that starts real processes needs its time.
export const suite = {
  setupFiles: ['test/support/compiled.ts', 'test/support/seed.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  pool: 'forks',
  // One core fewer than there are is what vitest takes by itself: half of two.
  maxWorkers: 2,
  // Modules stay loaded from file to file: a third of the time would be loading them.
  isolate: false,
} as const

export default defineConfig({
  test: {
    ...suite,
    include: ['test/**/*.test.ts'],
    // Those need real triplestores and search engines (`npm run test:engines`), these many rounds (`npm run test:long`).
    exclude: ['test/engines/**', 'test/**/*.long.test.ts'],
  },
})
