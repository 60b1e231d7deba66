import { defineConfig } from 'vitest/config'
import { suite } from './vitest.config.ts'

const { sequence, ...common } = suite
// A case starts and kills several platforms; on a busy machine that took 54 seconds.
const testTimeout = 180_000

// `npm run test:long`: first many inputs, pages and files, beside each other; then rounds of kills, full disks, loads beside a rebuild,
// one file after the other.
export default defineConfig({
  test: {
    sequence,
    projects: [
      {
        test: {
          ...common,
          name: 'many',
          testTimeout,
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
          testTimeout,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
