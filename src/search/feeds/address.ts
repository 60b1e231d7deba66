/** Where a service is, as its answers name it. */

import type { SearchDeps } from '../deps.ts'

export type Place = Pick<SearchDeps, 'address' | 'http'>

/** Without a slash at its end; where no public address is known, the one that the client came by. */
export const serviceAddress = ({ address, http }: Place, url: string): string =>
  (address ?? new URL(url).origin + (http.base ?? '')).replace(/\/$/, '')
