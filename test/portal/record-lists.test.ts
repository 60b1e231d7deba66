/** Lists of records with their pages. */

import { expect, it } from 'vitest'
import type { PageContext } from '../../src/portal/context.ts'
import { html } from '../../src/portal/html.ts'
import { pagedList } from '../../src/portal/parts/record-lists.ts'

it('the last page that can be read leads to no other one', async () => {
  const listAt = async (page: string) => {
    const context = {
      t: (key: string) => key,
      find: () => Promise.resolve({ records: [], count: 20_000, facets: new Map() }),
      query: new URLSearchParams({ page }),
    }
    const list = { params: { filters: 'dataset' }, style: 'index', item: () => '' } as const
    const { body } = await pagedList(context as unknown as PageContext, list)
    return (await html`${body}`).concat('')
  }
  expect(await listAt('199')).toContain('page=200')
  expect(await listAt('200')).not.toContain('rel="next"')
})
