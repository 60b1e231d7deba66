/** What every search engine must do when it is restarted or partly away: no removal is undone, and no answer has too few hits. */

import { expect, describe, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import { configured, documents, request, type Made } from './search-index-corpus.ts'

/** Makers of engines for each case, or the reason why an engine has no such case. */
export type Outages = {
  /** `restart` ends the engine and starts it again; it resolves with the configured index, which is a new one if the engine is part of the process. */
  readonly restart: () => Promise<Made & { readonly restart: () => Promise<SearchIndex> }>
  /** After `lose` some or all documents are away, until `restore`. */
  readonly away:
    | string
    | (() => Promise<
        Made & { readonly lose: () => Promise<void>; readonly restore: () => Promise<void> }
      >)
  /** An engine with several addresses, of which the first does not answer. */
  readonly addresses: string | (() => Promise<Made>)
}

/** Servers that share few processors take their time to start again. */
const patient = { timeout: 400_000 }
const datasets = documents.filter(({ index }) => index === 'dataset')
const [first] = datasets

const countOf = async (index: SearchIndex) => (await index.search(request())).count
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof Failure ? error.kind : String(error)),
  )

async function filled(made: Made): Promise<void> {
  await configured(made.index)
  await made.index.write(datasets.map((put) => ({ put })))
}

export function outageContract(name: string, { restart, away, addresses }: Outages): void {
  describe(`${name}: outages`, () => {
    it('a removal outlives a restart of the engine', patient, async () => {
      const made = await restart()
      await configured(made.index)
      await made.index.write([{ put: first! }])
      await made.index.write([{ remove: { index: 'dataset', id: first!.id, version: 5 } }])
      const index = await made.restart()
      // Each index of an engine is back at a time of its own.
      await expect.poll(() => countOf(index).catch(String)).toBe(0)
      await expect.poll(() => index.newestVersion().catch(String)).toBe(5)
      await index.write([{ put: { ...first!, version: 3 } }])
      expect(await countOf(index)).toBe(0)
      expect(await index.newestVersion()).toBe(5)
      await index.write([{ put: { ...first!, version: 6 } }])
      expect(await countOf(index)).toBe(1)
      await made.release()
    })

    it.skipIf(typeof away === 'string')(
      `no part of the documents is given out as the whole${reason(away)}`,
      patient,
      async () => {
        if (typeof away === 'string') return
        const { index, lose, restore, release } = await away()
        await filled({ index, release })
        const { offset: _, ...asked } = request({ limit: 2 })
        const open = () => index.openCursor({ ...asked, client: 'me', note: '' })
        const [{ cursor }, untouched] = [await open(), await open()]
        await lose()
        const calls = {
          search: () => index.search(request()),
          facets: () => index.search(request({ limit: 0, facets: { size: 9, global: true } })),
          openCursor: open,
          facetValues: () => index.facetValues('dataset', 'format'),
          entries: () => index.entries('dataset', '', 100),
          newestVersion: () => index.newestVersion(),
          health: () => index.health(),
        }
        for (const [call, work] of Object.entries(calls))
          await expect.poll(() => outcomeOf(work()), { message: call }).toBe('engine-unavailable')
        expect(await outcomeOf(index.readPage(cursor))).toMatch(
          /^(?:engine-unavailable|unknown-cursor)$/,
        )
        await restore()
        await expect.poll(() => countOf(index).catch(String)).toBe(datasets.length)
        const page = await index.readPage(untouched.cursor).catch(({ kind }: Failure) => kind)
        expect(typeof page === 'string' ? page : page.hits.length).toBeOneOf(['unknown-cursor', 2])
        await release()
      },
    )

    it.skipIf(typeof addresses === 'string')(
      `another address is used where the first one does not answer${reason(addresses)}`,
      async () => {
        if (typeof addresses === 'string') return
        const made = await addresses()
        await filled(made)
        for (let i = 0; i < 4; i++) expect(await countOf(made.index)).toBe(datasets.length)
        await made.release()
      },
    )
  })
}

const reason = (case_: unknown) => (typeof case_ === 'string' ? ` (${case_})` : '')
