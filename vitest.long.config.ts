import { defineConfig } from 'vitest/config'
import { suite } from './vitest.config.ts'

// `npm run test:long`: rounds of kills, disks and files that break, loads beside a rebuild.
export default defineConfig({
  test: {
    ...suite,
    include: ['test/**/*.long.test.ts'],
    fileParallelism: false,
    // A case starts and kills several platforms; on a busy machine that took 54 seconds.
    testTimeout: 180_000,
  },
})
