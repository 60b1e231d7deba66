/** Bulk requests for tests. */

import type { repository } from '../../support/repository.ts'

export type Verdict = {
  readonly originalId?: string
  readonly id?: string
  readonly status: number
  readonly problem?: { readonly type: string; readonly status: number }
}

type Asked = {
  readonly type?: string
  readonly query?: string
  readonly headers?: Record<string, string>
}

export const bulkOf = (repo: Pick<Awaited<ReturnType<typeof repository>>, 'ask'>) => ({
  put: (
    catalogue: string,
    body: string,
    { type = 'text/turtle', query = '', headers = {} }: Asked = {},
  ) =>
    repo.ask(`/catalogues/${catalogue}/datasets/bulk?${query}`, {
      method: 'PUT',
      type,
      body,
      headers,
    }),
})
