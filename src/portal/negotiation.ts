/** Whether a client wants to read a page rather than data. */

/** Clients before browsers: HTML has to be named, and wanted more than JSON. */
export function prefersPage(accept: string | undefined): boolean {
  const quality = (type: string): number => {
    const range = accept?.split(',').find((one) => one.trim().toLowerCase().startsWith(type))
    return range === undefined ? 0 : Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1)
  }
  return quality('text/html') > quality('application/json')
}
