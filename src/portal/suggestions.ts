/** What somebody may mean who is still typing: titles, themes and publishers that begin like it. */

import type { PageContext } from './context.ts'
import { textAt } from './record.ts'

const [mostTitles, mostLabels] = [8, 4]
const shortest = 2

type Suggestion = { readonly label: string; readonly path: string }
type Suggestions = {
  readonly titles: readonly Suggestion[]
  readonly themes: readonly Suggestion[]
  readonly publishers: readonly Suggestion[]
}

/** At most eight titles, four themes and four publishers; none for fewer than two letters. Throws `ServiceRefusal` and `Failure`. */
export async function suggestionsFor(context: PageContext, typed: string): Promise<Suggestions> {
  const q = typed.trim().slice(0, 100)
  if (q.length < shortest) return { titles: [], themes: [], publishers: [] }
  const [hits, { facets }] = await Promise.all([
    context.find({
      filters: 'dataset',
      q,
      limit: mostTitles,
      includes: ['id', 'title', 'identifier', 'language'],
      more: { autocomplete: 'true' },
    }),
    context.find({
      filters: 'dataset',
      limit: 0,
      counted: ['categories', 'publisher'],
      more: { facetSize: '500' },
    }),
  ])
  const labels = (facet: string): readonly Suggestion[] =>
    (facets.get(facet) ?? [])
      .map(({ id, title }) => ({ id, label: context.nameOf(title) ?? id }))
      .filter(({ label }) => beginsLike(label, q, context.language))
      .slice(0, mostLabels)
      .map(({ id, label }) => ({ label, path: context.searchTo([[facet, id]]) }))
  return {
    titles: hits.records.map((record) => ({
      label: context.plainTitle(record),
      path: context.pathTo('datasets', textAt(record, 'id') ?? ''),
    })),
    themes: labels('categories'),
    publishers: labels('publisher'),
  }
}

/** Whether a word of the label begins like what was typed. */
function beginsLike(label: string, typed: string, language: string): boolean {
  const [whole, start] = [label, typed].map((text) => text.toLocaleLowerCase(language))
  return ` ${whole ?? ''}`.includes(` ${start ?? ''}`)
}
