/** Answers that name runs. */

import type { AppContext } from '../../http/app.ts'
import type { Run } from '../../pipe/runs/run.ts'

export const runAddress = (c: AppContext, { id }: Pick<Run, 'id'>): string =>
  `${c.get('address')}/runs/${encodeURIComponent(id)}`

/** 202 with the run and where it is. */
export function accepted(c: AppContext, run: Run): Response {
  return c.json(run, 202, { Location: runAddress(c, run) })
}

/** `Link` (RFC 8288) to the runs that a request has started. */
export function linkRuns(c: AppContext, runs: readonly Run[]): void {
  if (runs.length === 0) return
  c.header('Link', runs.map((run) => `<${runAddress(c, run)}>; rel="run"`).join(', '))
}

/** `Link` to the pages of a list; whether there is a next one is known by having asked for one more. */
export function linkPages(
  c: AppContext,
  page: { readonly offset: number; readonly limit: number; readonly more: boolean },
): void {
  const { offset, limit, more } = page
  const link = (rel: string, start: number) => {
    const query = new URL(c.req.url).searchParams
    query.set('offset', String(start))
    query.set('limit', String(limit))
    return `<${c.get('address')}${encodeURI(c.req.path)}?${query.toString()}>; rel="${rel}"`
  }
  const links = [
    link('first', 0),
    ...(offset > 0 ? [link('prev', Math.max(0, offset - limit))] : []),
    ...(more ? [link('next', offset + limit)] : []),
  ]
  c.header('Link', links.join(', '))
}
