import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRecords } from '../../src/repository/records-file.ts'

test('the file of records belongs to its owner and has the tables of all parts', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'records-')), 'records.sqlite')
  const schemas = ['a', 'b'].map(
    (name) => `CREATE TABLE IF NOT EXISTS ${name} (id INTEGER) STRICT;`,
  )
  const records = openRecords(path, schemas)
  expect(records.rows('SELECT name FROM sqlite_master').map(({ name }) => name)).toEqual(['a', 'b'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  records.close()
})
