/** Where a service is, as its answers name it. */

export type Place = {
  /** Public address of the service. */
  readonly address?: string
  readonly http: { readonly base?: string }
}

/** Without a slash at its end; where no public address is known, the one that the client came by. */
export const serviceAddress = ({ address, http }: Place, url: string): string =>
  (address ?? new URL(url).origin + (http.base ?? '')).replace(/\/$/, '')
