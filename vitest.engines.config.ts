import { defineConfig } from 'vitest/config'

// `npm run test:engines`: the suites that need real triplestores and search engines. One file after the other, because the servers are shared.
export default defineConfig({
  test: {
    globalSetup: ['test/engines/servers.ts'],
    setupFiles: ['test/support/compiled.ts', 'test/support/seed.ts', 'test/engines/addresses.ts'],
    include: ['test/engines/**/*.test.ts', 'test/store/virtuoso/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 360_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
  },
})
