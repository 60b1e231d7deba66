/** Remembers what bodies mean, so that one that comes again need not be parsed to be found unchanged. */

type KnownBody = {
  /** Of the dataset; what a body says depends on it and on the id at the origin. */
  readonly iri: string
  readonly originalId: string
  readonly fingerprint: string
}

export type KnownBodies = {
  /** The canonical hash of the content of a body. */
  hashOf(body: KnownBody): string | undefined
  /** Whether a body of the dataset was seen, this one or another. */
  has(iri: string): boolean
  keep(body: KnownBody, hash: string): void
}

type Meaning = Omit<KnownBody, 'iri'> & { readonly hash: string }

/** The last body of each dataset; about 400 bytes of memory each. */
export function knownBodies(most = 20_000): KnownBodies {
  const last = new Map<string, Meaning>()
  return {
    hashOf: ({ iri, originalId, fingerprint }) => {
      const known = last.get(iri)
      const isSame = known?.originalId === originalId && known.fingerprint === fingerprint
      return isSame ? known.hash : undefined
    },
    has: (iri) => last.has(iri),
    keep: ({ iri, ...meaning }, hash) => {
      last.delete(iri)
      last.set(iri, { ...meaning, hash })
      // The oldest comes first.
      for (const [oldest] of last) {
        if (last.size <= most) break
        last.delete(oldest)
      }
    },
  }
}
