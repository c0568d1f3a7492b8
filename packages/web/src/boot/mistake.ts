/** A flag or variable that web cannot start with. */
export class Mistake extends Error {}
