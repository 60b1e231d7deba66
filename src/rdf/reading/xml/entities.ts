/** What a document type declaration of RDF/XML may say: nothing, or a bounded set of internal entities. */

const limits = { subset: 65_536, entities: 256, value: 1_024, expansion: 10, grace: 65_536 }

/** Refuses anything that declares or points outside; for bodies that clients send. Throws `Error`. */
export function refuseDeclarations(doctype: string): void {
  if (/<!|\bSYSTEM\b|\bPUBLIC\b|%/.test(doctype)) {
    throw new Error('document types with entities or external references are not accepted')
  }
}

/**
 * Declares the internal entities of a document type on `target`; external DTDs are ignored, external and parameter
 * entities refused. Every use of an entity is counted, `fed` says how long the document is so far: it may grow tenfold
 * by expansion, not more. Throws `Error`.
 */
export function declareEntities(
  doctype: string,
  target: Record<string, string>,
  fed: () => number,
): void {
  if (doctype.length > limits.subset) throw new Error('the document type is longer than 64 KiB')
  const subset = doctype.slice(doctype.indexOf('[') + 1)
  const declarations = [...subset.matchAll(/<!ENTITY\s+([^>"']*)(?:"([^"]*)"|'([^']*)')/g)]
  if (declarations.length > limits.entities) throw new Error('more than 256 entities')
  let expanded = 0
  for (const [, head = '', double, single] of declarations) {
    const name = head.trim()
    const value = double ?? single ?? ''
    if (!/^[\p{L}_:][\p{L}\p{N}_:.-]*$/u.test(name)) {
      throw new Error('external and parameter entities are not accepted')
    }
    if (value.length > limits.value)
      throw new Error(`entity ${name} is longer than 1024 characters`)
    const text = plain(value)
    Object.defineProperty(target, name, {
      configurable: true,
      get: () => {
        expanded += text.length
        if (expanded > fed() * limits.expansion + limits.grace) {
          throw new Error('entities expand to more than ten times the document')
        }
        return text
      },
    })
  }
}

const predefined: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** Character references inside a value count; entities inside entities are left as they stand. */
const plain = (value: string) =>
  value.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name) return predefined[name] ?? whole
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
