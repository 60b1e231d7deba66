/** Items as they may be kept: without secrets, and no longer than a reader needs. */

import type { RunItem, StoredProblem } from '../run.ts'

/** Takes registered secrets out of a text. */
export type Redact = (text: string) => string

/** Of which items the source text is kept. */
export type KeepSource = 'failed' | 'none' | 'all'

const longestExcerpt = 65_536
const longestText = 2048
const mostFindings = 20
/** Excerpts of one run, in characters: a source of which everything fails must not fill the disk. */
const mostExcerpts = 64 * 1024 * 1024

/** Keeps excerpts up to 64 KB each and 64 MB together; ids stay whole, because failed items are asked for again by them. */
export function cleaning(redact: Redact, keep: KeepSource): (item: RunItem) => RunItem {
  let left = mostExcerpts
  const text = (value: string) => redact(value).slice(0, longestText)
  return ({ excerpt, ...item }) => {
    const wanted = keep === 'all' || (keep === 'failed' && item.state === 'failed')
    const kept = wanted && excerpt !== undefined ? redact(excerpt).slice(0, longestExcerpt) : ''
    const fits = kept !== '' && kept.length <= left
    if (fits) left -= kept.length
    return {
      ...item,
      ...(item.sourceUrl !== undefined && { sourceUrl: text(item.sourceUrl) }),
      ...(item.note !== undefined && { note: text(item.note) }),
      ...(item.problem && { problem: cleanProblem(item.problem, redact) }),
      ...(item.findings && {
        findings: item.findings
          .slice(0, mostFindings)
          .map(({ slug, detail }) => ({ slug, detail: text(detail) })),
      }),
      ...(item.difference && {
        difference: {
          gone: item.difference.gone.map(text),
          come: item.difference.come.map(text),
        },
      }),
      ...(fits && { excerpt: kept }),
    }
  }
}

/** A problem whose words are free of secrets. */
export const cleanProblem = (problem: StoredProblem, redact: Redact): StoredProblem => ({
  ...problem,
  ...(problem.detail !== undefined && { detail: redact(problem.detail).slice(0, longestText) }),
  ...(problem.errors && {
    errors: problem.errors.map((one) => ({ ...one, detail: redact(one.detail) })),
  }),
})
