/** Addresses in the values of sources, for all mappings: trimmed, repaired, made absolute, stripped of credentials. */

import type { NamedNode } from '@rdfjs/types'
import type { Finding } from '../../pipe/message.ts'
import { addressesIn, isIri, maxIriBytes, repairIri } from '../../rdf/iri.ts'
import { prefixes } from '../../rdf/namespaces.ts'
import { meaningfulText } from '../../vocabularies/loose-values.ts'

/** Receiver of findings, and the base of relative addresses. */
type NoteReceiver = {
  readonly note: (slug: Finding['slug'], value: string, property?: string, reason?: string) => void
  readonly options: { readonly base: string }
}

/** Short name such as `dct:title`, or the IRI of a term of an unknown namespace. */
export function nameOf({ value }: NamedNode): string {
  const prefix = Object.entries(prefixes).find(([, namespace]) => value.startsWith(namespace))
  return prefix ? `${prefix[0]}:${value.slice(prefix[1].length)}` : value
}

/** Whether a value is an IRI that all stores accept. */
export const isUsableIri = (value: unknown): value is string =>
  typeof value === 'string' && isIri(value) && Buffer.byteLength(value) <= maxIriBytes

/** Names of query parameters that carry credentials. */
const credentialNames =
  /^(?:auth_key|api_?key|access_token|token|x-app-token|%24%24app_token|\$\$app_token)$/i

/**
 * Address with `http`, `https` or `ftp`; `undefined`, with a finding `dropped-url`, for other non-blank values. `where` names
 * the property in findings.
 */
export function webAddress(value: unknown, notes: NoteReceiver, where: string): string | undefined {
  const text = meaningfulText(value)
  if (text === undefined) return undefined
  const repaired = repairIri(text)
  const isRelative = /^(?:\/|\.{1,2}\/|\?)/.test(repaired)
  const absolute = isRelative ? URL.parse(repaired, notes.options.base)?.href : repaired
  const withoutUser = absolute?.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
  const url = withoutUser?.replace(/\?[^#]*/, publicQuery)
  const isWebAddress =
    /^(?:https?|ftp):\/\/[^/?#]/i.test(url ?? '') && isUsableIri(url) && URL.canParse(url)
  // An invalid address may contain credentials anywhere.
  const shown = text
    .replace(/\/\/[^/?#\s]*@/, '//')
    .replace(/([?&;][^=&;]*(?:key|token|secret|pass)[^=&;]*=)[^&;#\s]*/gi, '$1•••')
  if (!isWebAddress) {
    notes.note('dropped-url', shown, where)
    return undefined
  }
  if (url !== absolute) notes.note('secret-removed', url, where)
  else if (url !== text && !isRelative) notes.note('repaired-iri', shown, where, `became ${url}`)
  return url
}

/** Splits a text of several addresses; returns other values unchanged. */
export function separateAddresses(
  value: unknown,
  notes: NoteReceiver,
  where: string,
): readonly unknown[] {
  const text = meaningfulText(value) ?? ''
  const addresses = addressesIn(text)
  if (addresses.length < 2) return [value]
  notes.note('repaired-iri', text, where, `${addresses.length} addresses`)
  return addresses
}

/** Query without parameters that carry credentials; unchanged if there are none. */
function publicQuery(query: string): string {
  const pairs = query.slice(1).split('&')
  const publicPairs = pairs.filter((pair) => !credentialNames.test(pair.split('=', 1)[0] ?? ''))
  if (publicPairs.length === pairs.length) return query
  return publicPairs.length === 0 ? '' : `?${publicPairs.join('&')}`
}

/** `mailto:` or `tel:` address; `undefined`, with a finding, for an invalid value. */
export function contactAddress(
  value: unknown,
  kind: 'mail' | 'telephone',
  notes: NoteReceiver,
  where: string,
): string | undefined {
  const text = meaningfulText(value)
  if (text === undefined) return undefined
  const address = kind === 'mail' ? mailAddress(text) : telephone(text)
  if (address === undefined) notes.note('dropped-url', text, where)
  return address
}

/** `mailto:` with a plausible bare address (RFC 6068). */
function mailAddress(text: string): string | undefined {
  const bare = text.replace(/^mailto:\s*/i, '')
  if (bare.length > 320 || !/^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/.test(bare)) return undefined
  const iri = `mailto:${repairIri(bare)}`
  return isIri(iri) ? iri : undefined
}

/** `tel:` with digits only (RFC 3966); separators are removed. */
function telephone(text: string): string | undefined {
  const digits = text.replace(/^tel:/i, '').replaceAll(/[\s()./-]/g, '')
  return /^\+?\d{3,20}$/.test(digits) ? `tel:${digits}` : undefined
}
