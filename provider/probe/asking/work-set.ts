export class WorkSet {}
