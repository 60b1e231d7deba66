/** The value at the end of a line: what a store may spell in another way than we do. */

import { rdf, xsd } from '../../rdf/namespaces.ts'

/** A literal with a language tag or a datatype; plain strings and IRIs have no other spelling. */
export type Value = {
  /** The line up to and with the opening quote. */
  readonly head: string
  /** As it stands in the line, with its escapes. */
  readonly lexical: string
  /** `''` where there is a datatype. */
  readonly language: string
  readonly datatype: string
}

const langString = rdf('langString').value

/** The value of a line (without its line end); `undefined` for an IRI and for a plain string. */
export function valueOf(line: string): Value | undefined {
  const end = line.lastIndexOf('"')
  const mark = line[end + 1]
  if (end < 0 || (mark !== '@' && mark !== '^')) return undefined
  const start = line.indexOf('"')
  const [head, lexical] = [line.slice(0, start + 1), line.slice(start + 1, end)]
  if (mark === '@') {
    return { head, lexical, language: line.slice(end + 2, -2), datatype: langString }
  }
  return { head, lexical, language: '', datatype: line.slice(end + 4, -3) }
}

/** The line of a value. */
export const lineOf = ({ head, lexical, language, datatype }: Value): string =>
  language === '' ? `${head}${lexical}"^^<${datatype}> .` : `${head}${lexical}"@${language} .`

const dotted = /<[^<>"]*\/\.\.?(?:[/?#][^<>"]*)?>/

/** Whether a line may hold an IRI with `.` or `..` as a step of its path, which some parsers resolve. */
export const hasDots = (line: string): boolean => line.includes('/.') && dotted.test(line)

/** Whether a store may have another spelling for a line. */
export const isSpelled = (line: string): boolean => {
  const mark = line[line.lastIndexOf('"') + 1]
  return mark === '@' || mark === '^' || hasDots(line)
}

const namespace = xsd('').value

/** The local name of a datatype of XML Schema, `undefined` for all others. */
export const xsdName = (datatype: string): string | undefined =>
  datatype.startsWith(namespace) ? datatype.slice(namespace.length) : undefined

/** XML Schema's integers: the type itself and those derived from it. */
export const integers: ReadonlySet<string> = new Set(
  (
    'integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger ' +
    'unsignedInt unsignedLong unsignedShort unsignedByte'
  ).split(' '),
)

/** What stands before the datatype of a value that is hidden from a store. */
export const opaque = 'urn:cartulary:literal:'

/**
 * The line with its value under a datatype that no store knows, so that it comes back as it was: for values that a store
 * would damage. Queries see that datatype.
 */
export function hidden(line: string): string {
  const value = valueOf(line)
  if (!value || value.language !== '') return line
  return lineOf({ ...value, datatype: `${opaque}${value.datatype}` })
}

/** Undoes `hidden`. */
export function shown(line: string): string {
  if (!line.includes(`"^^<${opaque}`)) return line
  const value = valueOf(line)
  if (!value?.datatype.startsWith(opaque)) return line
  return lineOf({ ...value, datatype: value.datatype.slice(opaque.length) })
}
