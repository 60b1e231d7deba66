/** Pages of a query's solutions. */

/** The query with `LIMIT` and `OFFSET`, which SPARQL does not take as variables. The query must end in its ordering. */
export function paged(
  query: string,
  page: { readonly limit: number; readonly offset?: number },
): string {
  const { limit, offset = 0 } = page
  if (![limit, offset].every((value) => Number.isSafeInteger(value) && value >= 0)) {
    throw new Error(`a page of ${limit} from ${offset} is none`)
  }
  return `${query}\nLIMIT ${limit} OFFSET ${offset}`
}
