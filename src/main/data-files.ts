/** The files of a data directory. */

/** Files that an operator may set aside. */
export const resettable = ['harvest', 'triggers'] as const
