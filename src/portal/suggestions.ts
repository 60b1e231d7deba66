/** What somebody may mean who is still typing: titles, themes and publishers that begin like it. */

import type { PageContext } from './context.ts'
import { textAt } from './record.ts'

const includes = ['id', 'title', 'identifier', 'language']
const counted = ['categories', 'publisher']
const [mostTitles, mostLabels, shortest, longest] = [8, 4, 2, 100]

/** At most eight titles, four themes and four publishers; none for fewer than two letters. Rejects with `Failure`. */
export async function suggestionsFor(context: PageContext, typed: string) {
  const { language, find, nameOf, plainTitle, pathTo, searchTo } = context
  const lower = (text: string) => text.toLocaleLowerCase(language)
  const q = typed.trim().slice(0, longest)
  if (q.length < shortest) return { titles: [], themes: [], publishers: [] }
  const [hits, { facets }] = await Promise.all([
    find({ filters: 'dataset', q, limit: mostTitles, includes, more: { autocomplete: 'true' } }),
    find({ filters: 'dataset', limit: 0, counted, more: { facetSize: '500' } }),
  ])
  /** Values with a word that begins like what was typed. */
  const labels = (facet: string) =>
    (facets.get(facet) ?? [])
      .map(({ id, title }) => ({ id, label: nameOf(title) ?? id }))
      .filter(({ label }) => ` ${lower(label)}`.includes(` ${lower(q)}`))
      .slice(0, mostLabels)
      .map(({ id, label }) => ({ label, path: searchTo([[facet, id]]) }))
  return {
    titles: hits.records.map((record) => ({
      label: plainTitle(record),
      path: pathTo('datasets', textAt(record, 'id') ?? ''),
    })),
    themes: labels('categories'),
    publishers: labels('publisher'),
  }
}
