import { defineConfig } from 'vitest/config'

// Two cores in CI: files run beside each other, and a journey that starts real processes needs its time.
export default defineConfig({
  test: {
    setupFiles: ['test/support/compiled.ts', 'test/support/seed.ts'],
    include: ['test/**/*.test.ts'],
    // These need real triplestores and search engines: `npm run test:engines`.
    exclude: ['test/engines/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
  },
})
