import { defineConfig } from 'vitest/config'
import { suite } from './vitest.config.ts'

// Unit tests of pure code, which start no process, worker or server: part of `npm run check`.
export default defineConfig({
  test: {
    ...suite,
    include: [
      'test/{architecture,words,docs,sqlite}.test.ts',
      'test/{config,profile,secrets,text,vocabularies,workers}/**/*.test.ts',
    ],
    exclude: [
      'test/config/script.test.ts',
      'test/profile/foreign/served.test.ts',
      'test/text/utf8.test.ts',
      'test/workers/pool.test.ts',
      'test/**/*.many.test.ts',
    ],
  },
})
