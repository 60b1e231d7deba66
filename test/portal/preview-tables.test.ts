/** Files of strangers: what cannot be shown has a reason, and nothing throws. */

import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { previewTablesOf } from '../../src/portal/preview/tables.ts'

const bomb = new Uint8Array(60 * 2 ** 20)
const text = (value: string) => new TextEncoder().encode(value)
const files: readonly (readonly [string, Uint8Array, string])[] = [
  ['a gzip bomb', gzipSync(bomb), 'too-large'],
  ['a zip bomb', zipSync({ 'a.csv': bomb }, { level: 9 }), 'too-large'],
  ['binary called CSV', Uint8Array.from([1, 0, 2, 0, ...randomBytes(5000)]), 'encoding'],
  ['HTML called XLSX', text('<!doctype html><title>Sign in</title>'), 'login'],
  ['XML', text('<rows/>'), 'format'],
  ['JSON that is none', text('{"a": '), 'damaged'],
  ['a gzip that is none', Uint8Array.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), 'damaged'],
  ['a zip that is none', Uint8Array.from([0x50, 0x4b, 3, 4, 1, 2, 3]), 'damaged'],
  ['nothing', new Uint8Array(), 'format'],
]

describe('a preview', () => {
  it.each(files)('of %s has a reason', async (_name, bytes, reason) => {
    expect(await previewTablesOf({ bytes, isCut: false, type: '' })).toEqual({ reason })
  })

  it('of CSV without end shows its first rows', async () => {
    const bytes = text('a,b\n'.repeat(100_000))
    const result = await previewTablesOf({ bytes, isCut: true, type: 'text/csv' })
    expect('tables' in result && result.tables[0]?.rows.length).toBe(200)
  })
})
