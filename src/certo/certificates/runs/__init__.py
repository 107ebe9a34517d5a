"""What runs of the Perceptron, Pegasos and online gradient descent did, against their theorems."""
