import { defineConfig } from 'vitest/config'
import { suite } from './vitest.config.ts'

const { sequence, ...common } = suite

// `npm run test:long`: first many inputs, beside each other; then rounds of kills, disks and files that break, loads beside a rebuild,
// one file after the other.
export default defineConfig({
  test: {
    sequence,
    projects: [
      {
        test: {
          ...common,
          name: 'many',
          include: ['test/**/*.many.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'long',
          include: ['test/**/*.long.test.ts'],
          maxWorkers: 1,
          // A case starts and kills several platforms; on a busy machine that took 54 seconds.
          testTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
