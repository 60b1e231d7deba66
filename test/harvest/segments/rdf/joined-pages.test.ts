/** Which pages of a source say something that no page before them did. */

import { expect, it } from 'vitest'
import { PageJoin } from '../../../../src/harvest/importers/joined-pages.ts'
import { Spool } from '../../../../src/harvest/importing/cutting/spool.ts'
import { statementWriter } from '../../../../src/rdf/lines.ts'
import { parse } from '../../../../src/rdf/parse.ts'

const address = 'https://portal.example/catalogue?page=1'

/** Whether a page that describes these datasets says something new. */
async function adds(join: PageJoin, ...ids: readonly number[]): Promise<boolean> {
  const described = ids.map(
    (id) => `<https://portal.example/${id}> a <http://www.w3.org/ns/dcat#Dataset> .\n`,
  )
  const text = `<${address}> <http://www.w3.org/ns/hydra/core#totalItems> ${ids.length} .\n${described.join('')}`
  const page = new Spool()
  page.add((await parse(text, 'turtle', { baseIri: address })).map(statementWriter()))
  page.finish()
  const isNew = join.add(page, text.length, address)
  page.close()
  return isNew
}

it('a page counts as new while it describes a node that none before it did', async () => {
  const join = new PageJoin(1_000_000, {})
  expect(await adds(join, 1, 2)).toBe(true)
  expect(await adds(join, 2, 3)).toBe(true)
  expect(await adds(join, 3, 1)).toBe(false)
  expect(await adds(join)).toBe(false)
})

it('every page counts as new once no more nodes can be remembered, so that no source is cut short', async () => {
  const join = new PageJoin(1_000_000, {}, 3)
  expect(await adds(join, 1, 2)).toBe(true)
  expect(await adds(join, 3, 4)).toBe(true)
  expect(await adds(join, 5, 6)).toBe(true)
  expect(await adds(join, 7)).toBe(true)
})
