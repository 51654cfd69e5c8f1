export class Receiver {}
