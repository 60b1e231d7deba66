/** Normal forms under which the names of one thing are the same. */

/** Letters and digits only, in lower case. */
export const squashed = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** An IRI without what does not tell concepts apart: scheme, `www.`, slashes at the end, the case of the host. */
export function alike(iri: string): string {
  const [, host = '', path = ''] = /^https?:\/\/(?:www\.)?([^/?#]*)([^]*)$/i.exec(iri.trim()) ?? []
  return host === '' ? iri.trim() : host.toLowerCase() + path.replace(/\/+$/, '')
}
