import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { defineConfig } from 'vitest/config'

/** Folders of tests that start processes, browsers or servers: a file of a few lines may run for half a minute there. */
const slow = /\/test\/(?:journeys|contracts|portal)\//

/** Starts the slow files first, so that the run does not end with one of them alone; otherwise as vitest does. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [true, false].flatMap((is) =>
      sorted.filter(({ moduleId }) => slow.test(moduleId) === is),
    )
  }
}

// Files run beside each other, and a journey that starts real processes needs its time.
export const suite = {
  globalSetup: ['test/support/memory-directory.ts'],
  setupFiles: ['test/support/compiled.ts', 'test/support/seed.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  pool: 'forks' as const,
  // The threads that tests start read compiled modules, as those of the platform do.
  execArgv: ['--import', new URL('src/compile-cache.js', import.meta.url).href],
  // Three for the two cores of CI: for a fifth of its time a test file waits for clocks, sockets and processes.
  maxWorkers: 3,
  // Modules stay loaded from file to file: a third of the time would be loading them.
  isolate: false,
  sequence: { sequencer: SlowestFirst },
}

export default defineConfig({
  test: {
    ...suite,
    include: ['test/**/*.test.ts'],
    // Those need real triplestores and search engines (`npm run test:engines`), these many rounds or inputs (`npm run test:long`).
    exclude: ['test/engines/**', 'test/**/*.{long,many}.test.ts'],
  },
})
